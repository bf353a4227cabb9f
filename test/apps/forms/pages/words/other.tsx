export default function Other() {
  return (
    <>
      Other {'page'} <h1>Other</h1>
      <a id="back" href="/words">
        Back
      </a>
    </>
  )
}
