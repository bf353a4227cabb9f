export default function NotFound() {
  return (
    <>
      <title>Nothing</title>
      <h1>Nothing here</h1>
    </>
  )
}
