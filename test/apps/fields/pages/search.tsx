import type { PageProps } from 'hydrant/react'
import { options } from '../components/options.tsx'

export default function Page({ url: { searchParams } }: PageProps<'/search'>) {
  const q = searchParams.get('q') ?? undefined
  const kinds = searchParams.getAll('kinds')
  return (
    <>
      <form>
        <input id="q" name="q" defaultValue={q} />
        <input id="other" name="other" />
        <input id="a" name="kinds" value="a" type="checkbox" defaultChecked={kinds.includes('a')} />
        <select id="sort" name="sort" defaultValue={searchParams.get('sort') ?? undefined}>
          {options}
        </select>
        <button type="submit" id="send">
          Send
        </button>
      </form>
      <p id="late">{String(searchParams)}</p>
      <a id="link" href="/search?q=linked&sort=c&kinds=a">
        Another search
      </a>
    </>
  )
}
