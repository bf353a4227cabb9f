import { type PageProps, type Submission, useSubmission } from 'hydrant/react'

export default function Dialogs({ invalid }: PageProps<'/dialogs'>) {
  const note = useSubmission('/refused')
  return (
    <>
      <InDialog id="plain" issues={invalid?.issues.text} />
      <InDialog id="hook" form={note.form} issues={note.invalid?.issues.text} />
    </>
  )
}

interface InDialogProps {
  id: string
  form?: Submission<string>['form']
  issues: readonly string[] | undefined
}

function InDialog({ id, form, issues }: InDialogProps) {
  return (
    <>
      <dialog id={id}>
        <form method="post" {...form}>
          <input name="text" />
          <button type="submit">Send</button>
        </form>
        <p>{issues}</p>
      </dialog>
      <button type="button" onClick={() => document.querySelector<HTMLDialogElement>(`#${id}`)?.showModal()}>
        Show {id}
      </button>
    </>
  )
}
