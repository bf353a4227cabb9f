import { href, type PageProps, useSubmission } from 'hydrant/react'
import { useEffect, useRef, ViewTransition } from 'react'
import { DeleteNote } from '../../components/delete-note.tsx'
import { NoteForm } from '../../components/note-form.tsx'
import { NoteSearch } from '../../components/note-search.tsx'
import { NoteSign, PendingSign } from '../../components/note-sign.tsx'
import classes from '../../components/notes.module.css'
import { PageHead } from '../../components/page-head.tsx'
import { useRefreshOnReturn } from '../../components/refresh-on-return.ts'
import { ReportNote } from '../../components/report-note.tsx'
import { hrefOfDocument } from '../../content/document-href.ts'
import { readNote } from '../../notes/note.ts'

export default function Notes({ data, search: { q }, fields }: PageProps<'/notes'>) {
  const adding = useSubmission('/notes')
  const heading = useRef<HTMLHeadingElement>(null)
  const hasDeleted = useRef(false)
  useRefreshOnReturn()

  useEffect(() => {
    if (hasDeleted.current) heading.current?.focus({ preventScroll: true })
    hasDeleted.current = false
  }, [data])

  return (
    <>
      <PageHead
        title={adding.invalid ? 'Error: Notes' : 'Notes'}
        description="A form, a list and a database: notes from visitors."
      />
      <h1>Notes</h1>
      <p className="lead">
        A part of this site with real data: a form with a schema, a search, and a list in SQLite whose entries only
        their writers can delete. It works the same with and without JavaScript.
      </p>
      <NoteForm fields={fields} submission={adding} />
      <section aria-labelledby="list">
        <h2 id="list" ref={heading} tabIndex={-1}>
          {data.count === 0 ? 'No note yet' : 'The newest notes'}
        </h2>
        <NoteSearch q={q} found={data.notes.length} count={data.count} />
        <ul className={classes.list} data-hydrant-prefetch="visible">
          {adding.formData && (
            <li aria-busy>
              <PendingSign note={readNote(adding.formData)} />
            </li>
          )}
          {data.notes.map((note) => (
            <li key={note.id}>
              <ViewTransition name={`note-${note.id}`} default="none" share={MOVES}>
                <NoteSign note={note}>
                  <a href={href('/notes/[id]', { id: note.id })}>Note {note.id}</a>
                  {!note.isOwn && <ReportNote id={note.id} />}
                  <DeleteNote
                    note={note}
                    q={q}
                    onSubmit={() => {
                      hasDeleted.current = true
                    }}
                  />
                </NoteSign>
              </ViewTransition>
            </li>
          ))}
        </ul>
        <p>
          The list keeps the newest hundred notes. <a href={hrefOfDocument('guide/forms')}>Forms</a> describes how this
          page is made, and <a href={href('/docs/scripts')}>Use it from a script</a> how a program reads and writes
          notes.
        </p>
      </section>
    </>
  )
}

/** A sign moves between the list and its own page, not when the list changes. */
const MOVES = { forward: 'auto', back: 'auto', default: 'none' }
