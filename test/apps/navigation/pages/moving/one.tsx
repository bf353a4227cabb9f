import { MovingPage } from '../../components/moving-page.tsx'

export default function Page() {
  return (
    <MovingPage title="Moving">
      <a href="/moving/two">two</a>
    </MovingPage>
  )
}
