function Total({ items }: { items: string[] }) {
  return <b>{items.length}</b>
}

export default function Page() {
  return (
    <section>
      <Total items={JSON.parse('{}').items} />
    </section>
  )
}
