/** The sentences, in order. The n-th sentence has the same meaning in each language. */
const PHRASES = {
  en: [
    'Good morning everyone and thank you for joining the call today',
    'I would like to start the stand-up with the numbers from last week',
    'We shipped the new release on Tuesday without any trouble',
    'Could you share your screen so that we can look at it together',
    'The customer asked for a shorter report and a simpler chart',
    'That sounds right to me but let us check the schedule first',
    'I will write the summary and send it to all of you tonight',
    'Is there anything else that we should talk about before we finish',
  ],
  es: [
    'Buenos días a todos y gracias por unirse hoy a la llamada',
    'Me gustaría empezar el stand-up con las cifras de la semana pasada',
    'Publicamos la nueva versión el martes sin ningún problema',
    'Podría compartir su pantalla para que la veamos juntos',
    'El cliente pidió un informe más corto y un gráfico más sencillo',
    'Me parece correcto pero revisemos primero el calendario',
    'Escribiré el resumen y se lo enviaré a todos esta noche',
    'Hay algo más de lo que debamos hablar antes de terminar',
  ],
  de: [
    'Guten Morgen allerseits und danke für die Teilnahme am heutigen Gespräch',
    'Ich möchte das Stand-up mit den Zahlen der letzten Woche beginnen',
    'Wir haben die neue Version am Dienstag ohne Schwierigkeiten ausgeliefert',
    'Könnten Sie Ihren Bildschirm teilen damit wir es gemeinsam ansehen',
    'Der Kunde wünscht sich einen kürzeren Bericht und ein einfacheres Diagramm',
    'Das klingt richtig aber lassen Sie uns zuerst den Zeitplan prüfen',
    'Ich schreibe die Zusammenfassung und schicke sie heute Abend an alle',
    'Gibt es noch etwas worüber wir vor dem Ende sprechen sollten',
  ],
  fr: [
    "Bonjour à tous et merci de participer à l'appel aujourd'hui",
    "J'aimerais commencer le stand-up par les chiffres de la semaine dernière",
    'Nous avons livré la nouvelle version mardi sans aucun problème',
    'Pourriez-vous partager votre écran pour que nous le regardions ensemble',
    'Le client a demandé un rapport plus court et un graphique plus simple',
    "Cela me semble juste mais vérifions d'abord le calendrier",
    'Je vais rédiger le résumé et vous l’envoyer à tous ce soir',
    'Y a-t-il autre chose dont nous devrions parler avant de finir',
  ],
} as const

type Language = keyof typeof PHRASES

/**
 * The sentence of the n-th utterance, in a language given as BCP 47. After the last sentence the first
 * follows again. For an unknown language: the English sentence, preceded by the language tag.
 */
export function phraseOf(utterance: number, tag: string): string {
  const [language = ''] = tag.split('-')
  const isKnown = Object.hasOwn(PHRASES, language)
  const phrases = PHRASES[isKnown ? (language as Language) : 'en']
  const phrase = phrases[utterance % phrases.length] ?? phrases[0]
  return isKnown ? phrase : `[${tag}] ${phrase}`
}

/** The spoken part of a sentence: `share` is from 0 to 1. At least one word. */
export function spokenPart(phrase: string, share: number): string {
  const words = phrase.split(' ')
  return words.slice(0, Math.max(1, Math.round(words.length * Math.min(1, share)))).join(' ')
}
