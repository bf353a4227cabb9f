import { useSubmission } from 'hydrant/react'

export default function Hook() {
  const note = useSubmission('/desk/note')
  return (
    <form {...note.form}>
      <h1>Hook</h1>
      <textarea name="text" />
      <button type="submit" id="send">
        Send
      </button>
    </form>
  )
}
