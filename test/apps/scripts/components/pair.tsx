export default function Pair() {
  return (
    <>
      <p>a pair</p>
      <p>of ads</p>
    </>
  )
}
