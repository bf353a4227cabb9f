export default function Leave() {
  return (
    <form method="post">
      <h1>Leave</h1>
      <button type="submit" id="leave">
        Leave
      </button>
    </form>
  )
}
