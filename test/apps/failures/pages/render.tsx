export default function Page() {
  return (
    <main>
      <Price />
    </main>
  )
}

function Price(): never {
  throw new Error('render') // fails: render
}
