function Price() {
  return <p>{typeof window === 'undefined' ? '1.00' : '2.00'} €</p>
}

export default function Page() {
  return (
    <section>
      <h1>Shop</h1>
      <Price />
    </section>
  )
}
