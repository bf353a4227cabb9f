import { SuggestForm } from './form'

export const metadata = { title: 'Suggest a book' }

export default function Suggest() {
  return (
    <>
      <h1>Suggest a book</h1>
      <SuggestForm />
    </>
  )
}
