package import ConversionModel

/// A model in force, as what it tells of each user.
package struct PresentModel: Sendable {
  package let model: ConversionModel

  package init(_ model: ConversionModel) { self.model = model }

  private var windows: [ModelWindow] { (0...2).compactMap { model.window($0, .install) } }

  /// The meanings of all values of a window.
  private static func meanings(_ window: ModelWindow) -> [DecodedMeaning] {
    window.fineValues.compactMap { window.meaning(fine: $0) }
      + CoarseValue.allCases.compactMap { window.meaning(coarse: $0) }
  }

  private var modelEvents: [ModelEvent] { windows.flatMap(Self.meanings).flatMap(\.events) }

  /// The events that have to be counted to know the values of users, by name.
  package var events: [String] {
    let locks = windows.compactMap { window -> String? in
      if case .event(let name) = window.lockRule { name } else { nil }
    }
    return Set(modelEvents.map(\.name) + locks).subtracting([Activity.lastActiveDay]).sorted()
  }

  /// The event that earns revenue; nil if no value has revenue.
  package var earningEvent: String? { modelEvents.first { $0.revenue != nil }?.name }

  /// The events without revenue that the first window tells.
  package var toldEvents: [String] {
    let events = windows.first.map(Self.meanings)?.flatMap(\.events) ?? []
    return Set(events.filter { $0.revenue == nil }.map(\.name)).subtracting([earningEvent ?? ""]).sorted()
  }

  // MARK: - Values

  /// The values that a user has in a window.
  struct Values: Sendable {
    var fine: Int?
    var coarse: CoarseValue?
  }

  /// Returns the values of all users in a window; none where the model does not describe the window.
  func values(_ window: Int, of population: Population) -> [Values] {
    guard let described = model.window(window, .install) else {
      return [Values](repeating: Values(), count: population.count)
    }
    var known: [Activity: Encoding] = [:]
    func encoding(_ activity: Activity) -> Encoding? {
      if let found = known[activity] { return found }
      let found = model.encode(activity, window: window, conversionType: .install)
      known[activity] = found
      return found
    }
    return (0..<population.count).map { user in
      var values = Values()
      forEachActivity(of: user, window, described, in: population) { activity in
        let found = encoding(activity)
        values = Values(fine: found?.fine, coarse: found?.coarse)
        return !(found?.locksWindow ?? false)
      }
      return values
    }
  }

  /// Calls `body` with the activities of a user in a window until it returns false: after each step if the model locks the
  /// window, otherwise with the last one alone.
  private func forEachActivity(
    of user: Int,
    _ window: Int,
    _ described: ModelWindow,
    in population: Population,
    _ body: (Activity) -> Bool
  ) {
    let span = ModelWindow.spans[window]
    var activity = Activity()
    var before: Int64 = 0
    var isTold = false
    for step in population.steps(of: user) {
      guard step.age < span.upperBound else { break }
      let isEarlier = step.age < span.lowerBound
      if isEarlier { before = step.total }
      if isEarlier, !described.isCumulative { continue }
      if step.event >= 0, Int(step.event) < population.events.count {
        activity.counts[population.events[Int(step.event)], default: 0] += 1
      }
      activity.counts[Activity.lastActiveDay] = Int(step.age) / 86_400
      activity.revenue = Amount(millionths: max(described.isCumulative ? step.total : step.total - before, 0))
      if isEarlier { continue }
      isTold = false
      guard described.isLockedEarly else { continue }
      isTold = true
      guard body(activity) else { return }
    }
    if !isTold { _ = body(activity) }
  }

  /// Returns the predictions of a window: by the estimates of the model, or by the mean revenue of users with the same value
  /// in other folds. Where there is no value, the mean revenue of all users is predicted.
  ///
  /// - Parameters:
  ///   - window: The window.
  ///   - values: The values of the users.
  ///   - population: The users.
  ///   - folds: The number of folds.
  ///   - earlier: The predictions of the windows before, which a cumulative window includes.
  ///   - relearns: Indicates that the worth of values is learnt.
  /// - Returns: The predictions.
  func predictions(
    _ window: Int,
    _ values: [Values],
    of population: Population,
    folds: Int,
    after earlier: Predictions,
    relearns: Bool
  ) -> Predictions {
    var predictions = Predictions(count: population.count)
    let isCumulative = model.window(window, .install)?.isCumulative ?? false
    let none = WindowLadders.fineCount
    func number(_ values: Values, _ kind: ToldKind) -> Int {
      switch kind {
      case .nothing: none
      case .coarse: values.coarse.map(\.rank) ?? none
      case .fine: window == 0 ? values.fine ?? none : values.coarse.map(\.rank) ?? none
      }
    }
    for fold in 0..<folds {
      func isHeldOut(_ user: Int) -> Bool { population.fold(user, of: folds) == fold }
      for kind in ToldKind.allCases {
        var learnt = LearntValues(count: none + 1)
        for user in 0..<population.count where !isHeldOut(user) && population.weights[window][user] > 0 {
          learnt.add(number(values[user], kind), population.revenue[window][user], population.weights[window][user])
        }
        let overall = learnt.overall / millionths
        let estimates = (0...none).map { value -> Double? in
          guard value < none else { return nil }
          if relearns { return learnt.mean(value).map { $0 / millionths } }
          let meaning =
            kind == .fine && window == 0
            ? model.meaning(window: window, fine: value, coarse: nil, conversionType: .install)
            : model.meaning(window: window, fine: nil, coarse: CoarseValue(rank: value), conversionType: .install)
          return (meaning?.revenue?.estimate).map(\.approximation)
        }
        // Of a model with worths of its own only the mean is learnt, for the users without an estimate.
        let share = relearns ? 1 : learnt.share { estimates[$0] == nil }
        for user in 0..<population.count where isHeldOut(user) && population.weights[window][user] > 0 {
          let estimate = estimates[number(values[user], kind)]
          let before = isCumulative && !relearns ? earlier.values[kind.rawValue][user] : 0
          let prediction = estimate.map { $0 - before } ?? overall
          predictions.values[kind.rawValue][user] = prediction
          let revenue = Double(population.revenue[window][user]) / millionths
          predictions.learnt[kind.rawValue][user] = share * ((relearns ? prediction : overall) - revenue)
        }
      }
    }
    return predictions
  }
}

extension Amount {
  package init(millionths: Int64) { self.init(units: Int128(millionths) * 10) }
}
