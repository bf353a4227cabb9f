import { useSubmission } from 'hydrant/react'

export default function Renames() {
  const rename = useSubmission('/renames')
  return (
    <>
      <h1>Renames</h1>
      <form {...rename.form}>
        <input id="first" name="first" defaultValue="first" />
        <input id="text" name="text" defaultValue="typed" />
        <button type="submit" id="send">
          Send
        </button>
        <p id="issues">{rename.invalid?.issues.text}</p>
        <p id="data">{rename.data ?? 'none'}</p>
      </form>
    </>
  )
}
