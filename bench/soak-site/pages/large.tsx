const LINE = 'A line of a page that nobody reads as fast as it could be sent.\n'
const BYTES = 4_000_000

export default function Large() {
  return (
    <>
      <h1>Large</h1>
      <pre>{LINE.repeat(BYTES / LINE.length)}</pre>
    </>
  )
}
