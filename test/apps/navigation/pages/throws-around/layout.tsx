export default function Throwing() {
  throw new Error('SECRET-MARKER')
}
