export default function Page() {
  return <h1>Members</h1>
}
