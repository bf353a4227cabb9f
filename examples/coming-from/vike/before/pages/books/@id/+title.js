export default function title(pageContext) {
  return pageContext.data.book.title
}
