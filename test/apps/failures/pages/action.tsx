export default function Page() {
  return (
    <form method="post">
      <button type="submit">Send</button>
    </form>
  )
}
