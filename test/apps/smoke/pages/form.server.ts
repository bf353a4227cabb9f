import { type ActionContext, redirect } from 'hydrant'

const notes: string[] = []

export function load() {
  return { notes }
}

export async function action({ form }: ActionContext) {
  const note = String(form.get('note') ?? '')
  if (note === '') return 'Write a note.'
  notes.push(note)
  return redirect('/form')
}
