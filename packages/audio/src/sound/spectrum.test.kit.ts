/** Coefficients of a 4-term Blackman-Harris window: its side lobes are 92 dB down. */
const WINDOW = [0.35875, 0.48829, 0.14128, 0.01168] as const
/** Bins on each side of a tone that belong to it in this window. */
const LOBE = 5

/** Power of each bin of the first 2^n samples, from 0 to half the rate. */
function powerSpectrum(samples: Float32Array): Float64Array {
  const length = 2 ** Math.floor(Math.log2(samples.length))
  const real = new Float64Array(length)
  const imaginary = new Float64Array(length)
  for (let i = 0; i < length; i += 1) {
    const angle = (2 * Math.PI * i) / length
    const [a, b, c, d] = WINDOW
    real[i] = samples[i]! * (a - b * Math.cos(angle) + c * Math.cos(2 * angle) - d * Math.cos(3 * angle))
  }
  transform(real, imaginary)
  return Float64Array.from({ length: length / 2 }, (_, i) => real[i]! ** 2 + imaginary[i]! ** 2)
}

/** Everything except the tone (noise, harmonics, images), relative to the tone, in dB. */
export function distortionDb(samples: Float32Array, sampleRate: number, hertz: number): number {
  const power = powerSpectrum(samples)
  const tone = Math.round((hertz * 2 * power.length) / sampleRate)
  let inTone = 0
  let elsewhere = 0
  power.forEach((value, bin) => {
    if (Math.abs(bin - tone) <= LOBE) inTone += value
    else elsewhere += value
  })
  return 10 * Math.log10(elsewhere / inTone)
}

/** Frequencies from low to high, in equal ratios. */
export function sweep(fromHertz: number, toHertz: number, count: number): number[] {
  return Array.from({ length: count }, (_, i) => fromHertz * (toHertz / fromHertz) ** (i / (count - 1)))
}

/** The fast Fourier transform, in place: bits are reversed, then butterflies of growing width. */
function transform(real: Float64Array, imaginary: Float64Array): void {
  const { length } = real
  for (let i = 1, j = 0; i < length; i += 1) {
    let bit = length >> 1
    for (; j & bit; bit >>= 1) j ^= bit
    j ^= bit
    if (i < j) {
      ;[real[i], real[j]] = [real[j]!, real[i]!]
      ;[imaginary[i], imaginary[j]] = [imaginary[j]!, imaginary[i]!]
    }
  }
  for (let width = 2; width <= length; width *= 2) {
    for (let at = 0; at < width / 2; at += 1) {
      const cos = Math.cos((-2 * Math.PI * at) / width)
      const sin = Math.sin((-2 * Math.PI * at) / width)
      for (let a = at; a < length; a += width) {
        const b = a + width / 2
        const x = real[b]! * cos - imaginary[b]! * sin
        const y = real[b]! * sin + imaginary[b]! * cos
        real[b] = real[a]! - x
        imaginary[b] = imaginary[a]! - y
        real[a]! += x
        imaginary[a]! += y
      }
    }
  }
}
