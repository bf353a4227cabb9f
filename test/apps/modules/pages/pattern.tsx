import { useState } from 'react'

export default function Page() {
  const [text, setText] = useState('')
  const show = (file: string) =>
    import(`../parts/texts/${file}`).then(
      (module) => setText(module.default),
      (error) => setText(error.message),
    )
  return (
    <main>
      {['de.ts', 'old.cjs', 'fr.ts'].map((file) => (
        <button key={file} id={file.slice(0, 2)} type="button" onClick={() => show(file)}>
          {file}
        </button>
      ))}
      <p id="text">{text}</p>
    </main>
  )
}
