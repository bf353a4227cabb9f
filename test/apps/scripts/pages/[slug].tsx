export default function Page() {
  return <h1>A slug</h1>
}
