export default function Page() {
  return (
    <form method="post">
      <button type="submit" id="send">
        Send
      </button>
    </form>
  )
}
