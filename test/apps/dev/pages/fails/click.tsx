export default function Page() {
  function buy() {
    throw new TypeError('no basket')
  }
  return (
    <button type="button" onClick={buy}>
      Buy
    </button>
  )
}
