export default function Page() {
  return (
    <form method="post" action="/send/acted" data-hydrant-reload>
      <button type="submit">send</button>
    </form>
  )
}
