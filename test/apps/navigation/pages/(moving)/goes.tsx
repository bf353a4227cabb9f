import { MovingPage } from '../../components/moving-page.tsx'

export default function Page() {
  return (
    <MovingPage title="Goes">
      <form method="post">
        <button type="submit">Go</button>
      </form>
    </MovingPage>
  )
}
