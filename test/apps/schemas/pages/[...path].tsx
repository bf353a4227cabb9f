import { useSubmission } from 'hydrant/react'

export default function Page() {
  const { submit, data, error } = useSubmission<'/[...path]'>()
  return (
    <>
      <button type="button" onClick={() => void submit({ text: 'a' })}>
        send
      </button>
      <h1>{data ?? error?.message ?? 'none'}</h1>
    </>
  )
}
