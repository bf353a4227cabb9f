export default function Late(): never {
  throw new Error('late') // place: late
}
