/** Shows the photo of a product, or its first letter. The name is next to it on every page. */
export function Photo({ name, photo }: { name: string; photo: string | null }) {
  const shape = 'aspect-[4/3] w-full rounded-lg bg-tile'
  if (photo !== null) return <img src={photo} alt="" className={`${shape} object-cover`} />
  return (
    <div aria-hidden="true" className={`${shape} grid place-items-center font-serif text-6xl text-soft`}>
      {name[0]}
    </div>
  )
}
