export default function NoBook() {
  return <h1>This book is not in our list</h1>
}
