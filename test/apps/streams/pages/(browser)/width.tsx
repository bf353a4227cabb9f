import { Width } from '../../components/width.tsx'

export default function Page() {
  return (
    <>
      <h1>Page</h1>
      <Width />
    </>
  )
}
