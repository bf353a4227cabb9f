import { href } from 'hydrant/react'
import classes from './notes.module.css'
import { useQueryInput } from './use-query-input.ts'

interface NoteSearchProps {
  /** The text that the notes on the page contain; empty if the page shows all. */
  q: string
  found: number
  count: number
}

/** A form with the method GET: the browser itself writes the text into the URL. */
export function NoteSearch({ q, found, count }: NoteSearchProps) {
  const input = useQueryInput(q)
  return (
    <form method="get" action={href('/notes', {}, { hash: 'list' })} className={classes.search}>
      <label htmlFor="q">Search the notes</label>
      <div>
        <input type="search" id="q" name="q" ref={input} defaultValue={q} />
        <button type="submit" className="button button-quiet">
          Search
        </button>
      </div>
      <p role="status">{q !== '' && `${found} of ${count} notes contain “${q}”.`}</p>
      {q !== '' && <a href={href('/notes', {}, { hash: 'list' })}>Show all notes</a>}
    </form>
  )
}
