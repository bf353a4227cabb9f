import type { PageProps } from 'hydrant/react'
import { useRestoredState } from 'hydrant/react'

const LINES = 3_000

export default function Draft({ invalid }: PageProps<'/restored/draft'>) {
  const [tags, setTags] = useRestoredState<string[]>('tags', [])
  const [since, setSince] = useRestoredState('since', () => new Date(0))
  const [pin, setPin] = useRestoredState('pin', '')
  const [large, setLarge] = useRestoredState('large', '')
  const [odd, setOdd] = useRestoredState<symbol | null>('odd', null)
  return (
    <>
      <h1>Draft</h1>
      <output id="state">{JSON.stringify({ tags, since, pin, large: large.length, odd: odd !== null })}</output>
      <button id="add" type="button" onClick={() => setTags([...tags, 'tag'])}>
        Add
      </button>
      <button
        id="others"
        type="button"
        onClick={() => {
          setSince(new Date(86_400_000))
          setPin('1234')
          setLarge('a line\n'.repeat(LINES))
          setOdd(Symbol('odd'))
        }}
      >
        Others
      </button>
      <a id="away" href="/restored/login">
        Away
      </a>
      <form method="post">
        <input id="text" name="text" />
        <input id="pin" name="pin" type="password" />
        <b id="issue">{invalid?.issues.text}</b>
        <button type="submit" id="send">
          Send
        </button>
      </form>
    </>
  )
}
