interface PageHeadProps {
  title: string
  description: string
}

/** The page's title and description. React moves both into the document's head. */
export function PageHead({ title, description }: PageHeadProps) {
  return (
    <>
      <title>{title === 'Hydrant' ? title : `${title} · Hydrant`}</title>
      <meta name="description" content={description} />
    </>
  )
}
