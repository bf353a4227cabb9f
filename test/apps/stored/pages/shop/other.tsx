export default function Other() {
  return (
    <h1>
      Other <a href="/shop">back</a>
    </h1>
  )
}
