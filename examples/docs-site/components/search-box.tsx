import { href, type PageProps } from 'hydrant/react'
import { type FocusEvent, type InputEvent, type KeyboardEvent, useRef, useState } from 'react'
import { countOf, Results } from './results.tsx'

type Data = PageProps<'/search'>['data']

/** A form that leads to the search page. With JavaScript, the results also appear below it while the visitor types. */
export function SearchBox({ query }: { query: string }) {
  const [results, setResults] = useState<Data['results'] | null>(null)
  const last = useRef<AbortController>(null)

  async function onInput({ currentTarget }: InputEvent<HTMLInputElement>) {
    last.current?.abort()
    last.current = new AbortController()
    const { signal } = last.current
    const q = currentTarget.value.trim()
    if (q === '') return setResults(null)
    try {
      // The data of the search page as JSON.
      const response = await fetch(href('/search', {}, { search: { q } }), {
        headers: { accept: 'application/json' },
        signal,
      })
      if (!response.ok) return
      const data: Data = await response.json()
      if (!signal.aborted) setResults(data.results)
    } catch {
      // The visitor types on, or there is no network. Enter opens the search page in both cases.
    }
  }

  function close() {
    last.current?.abort()
    setResults(null)
  }

  function onKeyDown({ key }: KeyboardEvent) {
    if (key === 'Escape') close()
  }

  function onBlur({ currentTarget, relatedTarget }: FocusEvent) {
    if (!currentTarget.contains(relatedTarget)) close()
  }

  return (
    <search className="search" onKeyDown={onKeyDown} onBlur={onBlur}>
      <form method="get" action={href('/search')}>
        <input
          type="search"
          name="q"
          aria-label="Search the documentation"
          placeholder="Search"
          autoComplete="off"
          defaultValue={query}
          onInput={onInput}
        />
        <button type="submit">Search</button>
      </form>
      <p role="status" className="unseen">
        {results && countOf(results)}
      </p>
      {results && (
        <div className="suggestions">
          {results.length === 0 ? <p>Nothing found.</p> : <Results results={results.slice(0, 6)} />}
        </div>
      )}
    </search>
  )
}
