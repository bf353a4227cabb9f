export default function Page() {
  return (
    <>
      <h1>Target</h1>
      <form method="post">
        <button type="submit">Act</button>
      </form>
    </>
  )
}
