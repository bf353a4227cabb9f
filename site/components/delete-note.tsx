import { href, useNavigation } from 'hydrant/react'
import classes from './notes.module.css'

interface DeleteNoteProps {
  id: number
  onSubmit?(): void
}

export function DeleteNote({ id, onSubmit }: DeleteNoteProps) {
  const target = href('/notes/[id]', { id })
  const navigation = useNavigation()
  const isPending = navigation.state === 'submitting' && navigation.url.pathname === target
  return (
    <form method="post" action={target} onSubmit={onSubmit}>
      <button type="submit" className={classes.delete} name="intent" value="delete" aria-label={`Delete note ${id}`}>
        {isPending ? 'Deleting…' : 'Delete'}
      </button>
    </form>
  )
}
