import { type PageProps, useSubmission } from 'hydrant/react'

export default function Stays({ actionData }: PageProps<'/order/stays'>) {
  const { data, form } = useSubmission<'/order/stays'>()
  return (
    <>
      <h1>Stays</h1>
      <form method="post">
        <button type="submit" id="plain">
          plain
        </button>
      </form>
      <form {...form}>
        <button type="submit" id="own">
          own
        </button>
      </form>
      <p id="result">{`${actionData ?? ''} ${data ?? ''}`}</p>
    </>
  )
}
