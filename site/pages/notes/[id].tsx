import { href, type PageProps } from 'hydrant/react'
import { ViewTransition } from 'react'
import { DeleteNote } from '../../components/delete-note.tsx'
import { NoteSign } from '../../components/note-sign.tsx'
import { PageHead } from '../../components/page-head.tsx'
import { ReportNote } from '../../components/report-note.tsx'

export default function NotePage({ data: { note } }: PageProps<'/notes/[id]'>) {
  return (
    <>
      <PageHead title={`Note ${note.id}`} description="A note from a visitor." />
      <h1>Note {note.id}</h1>
      <ViewTransition name={`note-${note.id}`} default="none" share="auto">
        <NoteSign note={note}>
          {!note.isOwn && <ReportNote id={note.id} />}
          <DeleteNote note={note} />
        </NoteSign>
      </ViewTransition>
      <p>
        <a href={href('/notes')}>All notes</a>
      </p>
    </>
  )
}
