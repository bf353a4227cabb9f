export default function Slow() {
  return (
    <>
      <h1>Slow</h1>
      <a id="to-stays" href="/order/stays">
        stays
      </a>
    </>
  )
}
