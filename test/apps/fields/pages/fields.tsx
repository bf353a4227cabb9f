import type { PageProps } from 'hydrant/react'
import { Fields } from '../components/fields.tsx'
import { options } from '../components/options.tsx'

const INTENTS = ['data', 'same', 'query', 'twice', 'site', 'route', 'file', 'plain', 'slow']

export default function Page({ data }: PageProps<'/fields'>) {
  return (
    <>
      <form id="form" method="post">
        <Fields data={data} />
        {INTENTS.map((intent) => (
          <button key={intent} type="submit" id={intent} name="intent" value={intent}>
            {intent}
          </button>
        ))}
      </form>
      <input id="outside" form="form" name="outside" defaultValue={data.outside} />
      <select id="outsideChoice" form="form" name="outsideChoice" defaultValue={data.outsideChoice}>
        {options}
      </select>
      <p id="round">{data.round}</p>
    </>
  )
}
