import { href, type PageProps } from 'hydrant/react'
import { useEffect, useRef } from 'react'
import { DeleteNote } from '../../components/delete-note.tsx'
import { NoteForm } from '../../components/note-form.tsx'
import { NoteSearch } from '../../components/note-search.tsx'
import { NoteSign } from '../../components/note-sign.tsx'
import classes from '../../components/notes.module.css'
import { PageHead } from '../../components/page-head.tsx'

export default function Notes({ data, search: { q }, fields, invalid }: PageProps<'/notes'>) {
  const field = useRef<HTMLTextAreaElement>(null)
  const heading = useRef<HTMLHeadingElement>(null)
  const sent = useRef<'nothing' | 'note' | 'deletion'>('nothing')

  useEffect(() => {
    if (sent.current === 'note' && !invalid) field.current?.focus()
    else if (sent.current === 'deletion') heading.current?.focus({ preventScroll: true })
    sent.current = 'nothing'
  }, [data, invalid])

  return (
    <>
      <PageHead
        title={invalid ? 'Error: Notes' : 'Notes'}
        description="A form, a list and a database: notes from visitors."
      />
      <h1>Notes</h1>
      <p className="lead">
        A part of this site with real data: a form with a schema, a search, and a list in SQLite whose entries only
        their writers can delete. It works the same with and without JavaScript.
      </p>
      <NoteForm
        fields={fields}
        invalid={invalid}
        field={field}
        onSubmit={() => {
          sent.current = 'note'
        }}
      />
      <section aria-labelledby="list">
        <h2 id="list" ref={heading} tabIndex={-1}>
          {data.count === 0 ? 'No note yet' : 'The newest notes'}
        </h2>
        <NoteSearch q={q} found={data.notes.length} count={data.count} />
        <ul className={classes.list}>
          {data.notes.map((note) => (
            <li key={note.id}>
              <NoteSign note={note}>
                <a href={href('/notes/[id]', { id: note.id })}>Note {note.id}</a>
                <DeleteNote
                  note={note}
                  q={q}
                  onSubmit={() => {
                    sent.current = 'deletion'
                  }}
                />
              </NoteSign>
            </li>
          ))}
        </ul>
        <p>
          The list keeps the newest hundred notes. <a href={href('/docs/forms')}>Forms</a> describes how this page is
          made, and <a href={href('/docs/scripts')}>Use it from a script</a> how a program reads and writes notes.
        </p>
      </section>
    </>
  )
}
