export default function Page() {
  return (
    <main>
      <button
        id="break"
        type="button"
        onClick={() => {
          throw new Error('repeated')
        }}
      >
        break
      </button>
      <button
        id="other"
        type="button"
        onClick={() => {
          throw new Error(`another ${performance.now()}`)
        }}
      >
        break
      </button>
    </main>
  )
}
