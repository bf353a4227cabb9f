import { MovingPage } from '../../components/moving-page.tsx'

export default function Page() {
  return (
    <MovingPage title="Two">
      <form method="post">
        <button type="submit">Send</button>
      </form>
    </MovingPage>
  )
}
