import { type PageProps, useSubmission } from 'hydrant/react'

const ENDS = ['data', 'redirect', 'slow', 'refusal', 'failure', 'invalid']

export default function Order({ data, actionData }: PageProps<'/order'>) {
  const { data: own, submit } = useSubmission<'/order'>()
  return (
    <>
      <h1>Order</h1>
      <p id="finished">{data.join(' ')}</p>
      <p id="data">{actionData ?? 'none'}</p>
      <p id="own">{own ?? 'none'}</p>
      {['a', 'b'].map((name) => (
        <form key={name} id={`form-${name}`} method="post">
          <input type="hidden" name="name" defaultValue={name} />
          <input name="text" defaultValue="initial" />
          {ENDS.map((end) => (
            <button type="submit" key={end} id={`${end}-${name}`} name="end" value={end}>
              {`${end} ${name}`}
            </button>
          ))}
          <button type="submit" id={`elsewhere-${name}`} name="end" value="data" formAction="/order/elsewhere">
            elsewhere
          </button>
        </form>
      ))}
      <a id="to-slow" href="/order/slow">
        slow
      </a>
      <button id="script" type="button" onClick={() => void submit({ name: 'script', end: 'data' })}>
        script
      </button>
      <button id="script-away" type="button" onClick={() => void submit({ name: 'script', end: 'redirect' })}>
        script away
      </button>
    </>
  )
}
