export default function Enter() {
  return (
    <form method="post">
      <h1>Enter</h1>
      <button type="submit" id="enter">
        Enter
      </button>
    </form>
  )
}
