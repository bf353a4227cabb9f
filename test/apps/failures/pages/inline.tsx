const SCRIPT = `
  addEventListener('click', () => {
    throw new Error('inline')
  })
  addEventListener('click', () => {
    throw 'inline text'
  })
`

export default function Page() {
  return (
    <main>
      <button id="break" type="button">
        break
      </button>
      <script dangerouslySetInnerHTML={{ __html: SCRIPT }} />
    </main>
  )
}
