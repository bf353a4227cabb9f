export default function Fail() {
  return (
    <>
      <h1>F1b</h1>
      <BrokenOnTheServer />
    </>
  )
}

function BrokenOnTheServer() {
  if (typeof window === 'undefined') throw new Error('SECRET-MARKER f1b: a component fails on the server only')
  return <p>The browser could have rendered this.</p>
}
