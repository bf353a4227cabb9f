import { href, type PageProps } from 'hydrant/react'
import { DeleteNote } from '../../components/delete-note.tsx'
import { NoteSign } from '../../components/note-sign.tsx'
import { PageHead } from '../../components/page-head.tsx'

export default function NotePage({ data: { note } }: PageProps<'/notes/[id]'>) {
  return (
    <>
      <PageHead title={`Note ${note.id}`} description="A note from a visitor." />
      <h1>Note {note.id}</h1>
      <NoteSign note={note}>
        <DeleteNote note={note} />
      </NoteSign>
      <p>
        <a href={href('/notes')}>All notes</a>
      </p>
    </>
  )
}
