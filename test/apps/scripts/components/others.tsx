export function Others() {
  return (
    <>
      <p>other</p>
      <p>others</p>
    </>
  )
}
