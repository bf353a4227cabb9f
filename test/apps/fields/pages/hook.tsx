import { useSubmission } from 'hydrant/react'
import { useState } from 'react'
import { RefusedText } from '../components/refused-text.tsx'

export default function Hook() {
  const [isOpen, setIsOpen] = useState(true)
  return (
    <>
      {isOpen && <Note />}
      <input id="other" />
      <button id="close" type="button" onClick={() => setIsOpen(false)}>
        Close
      </button>
    </>
  )
}

function Note() {
  const note = useSubmission('/refused')
  return (
    <form {...note.form}>
      <RefusedText issues={note.invalid?.issues.text} />
      <p id="data">{note.data}</p>
    </form>
  )
}
