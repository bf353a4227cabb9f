import Counter from '../components/counter.tsx'

export default function Hello() {
  return (
    <>
      <title>Hello</title>
      <h1>Hello</h1>
      <Counter />
    </>
  )
}
