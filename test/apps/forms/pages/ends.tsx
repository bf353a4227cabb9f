import type { PageProps } from 'hydrant/react'

/** Targets of the form that are not this page's action. */
const TARGETS = {
  'no-page': '/nowhere',
  'no-action': '/target',
  'hook-fails': '/guarded?fails',
  'hook-refuses': '/guarded',
  'hook-redirects': '/guarded?redirect',
  'hook-redirects-outside': '/guarded?outside',
  'hook-redirects-307': '/guarded?307',
  'bad-code': '/ends/%zz',
}

export default function Ends({ data, actionData }: PageProps<'/ends'>) {
  return (
    <>
      <form method="post" id="ends">
        {data.map((name) => (
          <button type="submit" key={name} id={name} name="how" value={name}>
            {name}
          </button>
        ))}
        {Object.entries(TARGETS).map(([name, target]) => (
          <button type="submit" key={name} id={name} name="how" value={name} formAction={target}>
            {name}
          </button>
        ))}
      </form>
      <form method="post">
        <input type="hidden" name="how" defaultValue={'x'.repeat(20000)} />
        <button type="submit" id="too-large">
          too large
        </button>
      </form>
      <p id="data">{JSON.stringify(actionData) ?? 'none'}</p>
    </>
  )
}
