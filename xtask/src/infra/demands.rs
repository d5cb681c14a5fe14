//! What the templates must say, whoever changes them.

use serde_json::{Value, json};

use super::roles::{self, Role};
use super::routes;
use super::templates::{Resource, Templates, each, text};

/// Demands all of it.
///
/// # Errors
/// Everything that is not so.
pub(super) fn run(templates: &Templates) -> Result<(), String> {
    let roles = roles::all(templates)?;
    let demands = [
        table(templates)?,
        bucket(templates)?,
        bucket_policy(templates)?,
        least_privilege(&roles),
        no_wildcards(templates),
        functions(templates),
        logs_and_alarms(templates),
        routes::demands(templates)?,
    ];
    let all: Vec<_> = demands.into_iter().flatten().collect();
    let failed: Vec<_> = all.iter().filter(|demand| !demand.holds).map(|demand| demand.what.as_str()).collect();
    println!("{} demands on the templates", all.len());
    if failed.is_empty() { Ok(()) } else { Err(format!("not so any more:\n  {}", failed.join("\n  "))) }
}

/// Every alarm, and when it goes off, in the words of [`goes_off`]. Those of the namespace `skillhub` are about metrics of our own,
/// which are held against what the deployed sweeper logs (`events.py`).
const ALARMS: [(&str, &str); 8] = [
    (
        "ValidatorErrors",
        "Sum of AWS/Lambda Errors by FunctionName=${Name}-validate GreaterThanOrEqualToThreshold 3 in 1 x 300 s, notBreaching",
    ),
    (
        "UploadsWait",
        "Maximum of skillhub OldestWaitingSeconds by Function=${Name}-sweep GreaterThanThreshold 300 in 3 x 60 s, notBreaching",
    ),
    (
        "EventsFailed",
        "Maximum of AWS/SQS ApproximateNumberOfMessagesVisible by QueueName=${FailedEventsName} \
         GreaterThanThreshold 0 in 1 x 300 s, notBreaching",
    ),
    (
        "ServerErrors",
        "Average of AWS/ApiGateway 5xx by ApiId=${ApiId} GreaterThanThreshold 0.01 in 2 x 300 s, notBreaching",
    ),
    (
        "FunctionsThrottled",
        "Sum of AWS/Lambda Throttles by nothing GreaterThanOrEqualToThreshold 10 in 1 x 300 s, notBreaching",
    ),
    (
        "TableReadsThrottled",
        "Sum of AWS/DynamoDB ReadThrottleEvents by TableName=${TableName} \
         GreaterThanOrEqualToThreshold 10 in 1 x 300 s, notBreaching",
    ),
    (
        "TableWritesThrottled",
        "Sum of AWS/DynamoDB WriteThrottleEvents by TableName=${TableName} \
         GreaterThanOrEqualToThreshold 10 in 1 x 300 s, notBreaching",
    ),
    // Silence is what this one is about.
    ("SweeperSilent", "Sum of skillhub Sweeps by Function=${Name}-sweep LessThanThreshold 1 in 1 x 900 s, breaching"),
];

/// Something that must hold.
pub(super) struct Demand {
    what: String,
    holds: bool,
}

pub(super) fn demand(what: impl Into<String>, holds: bool) -> Demand {
    Demand { what: what.into(), holds }
}

/// That a property has this value.
fn is(resource: Resource<'_>, pointer: &str, value: Value) -> Demand {
    let found = resource.property(pointer);
    demand(format!("{}{pointer} is {value}, not {found}", resource.name), *found == value)
}

fn kept(resource: Resource<'_>) -> Demand {
    let retained = ["DeletionPolicy", "UpdateReplacePolicy"].iter().all(|policy| resource.value[policy] == "Retain");
    demand(format!("{} outlives its stack", resource.name), retained)
}

fn table(templates: &Templates) -> Result<Vec<Demand>, String> {
    let table = templates.only("AWS::DynamoDB::Table")?;
    Ok(vec![
        kept(table),
        is(table, "/BillingMode", json!("PAY_PER_REQUEST")),
        is(table, "/DeletionProtectionEnabled", json!(true)),
        is(table, "/PointInTimeRecoverySpecification/PointInTimeRecoveryEnabled", json!(true)),
        is(table, "/TimeToLiveSpecification", json!({ "AttributeName": "ttl", "Enabled": true })),
        is(table, "/GlobalSecondaryIndexes/0/IndexName", json!("due")),
        is(table, "/GlobalSecondaryIndexes/0/Projection/ProjectionType", json!("KEYS_ONLY")),
        is(table, "/SSESpecification/Fn::If/1/SSEType", json!("KMS")),
    ])
}

fn bucket(templates: &Templates) -> Result<Vec<Demand>, String> {
    let bucket = templates.only("AWS::S3::Bucket")?;
    let rules = each(bucket.property("/LifecycleConfiguration/Rules"));
    let rule = |prefix: &str| rules.iter().find(|rule| rule["Prefix"] == prefix);
    let expires = |prefix: &str| rule(prefix).is_some_and(|rule| rule["ExpirationInDays"] == 1);
    let aborts = rules.iter().any(|rule| rule["AbortIncompleteMultipartUpload"]["DaysAfterInitiation"] == 1);
    let touches = |rule: &&Value| rule["Prefix"].as_str().is_none_or(|prefix| "packages/".starts_with(prefix));
    let removes = |rule: &&Value| !rule["ExpirationInDays"].is_null() || !rule["NoncurrentVersionExpiration"].is_null();
    let filter = json!([{ "Name": "prefix", "Value": "staging/" }]);
    let mut demands = vec![
        kept(bucket),
        is(bucket, "/VersioningConfiguration/Status", json!("Enabled")),
        is(bucket, "/OwnershipControls/Rules/0/ObjectOwnership", json!("BucketOwnerEnforced")),
        is(bucket, "/NotificationConfiguration/LambdaConfigurations/0/Filter/S3Key/Rules", filter),
        is(bucket, "/NotificationConfiguration/LambdaConfigurations/0/Event", json!("s3:ObjectCreated:*")),
        demand("one notification", each(bucket.property("/NotificationConfiguration/LambdaConfigurations")).len() == 1),
        demand("uploads and parts expire", expires("staging/") && expires("parts/")),
        demand("unfinished multipart uploads are aborted", aborts),
        demand("no rule removes a package", !rules.iter().filter(|rule| touches(rule)).any(removes)),
        demand("CORS only on demand", !bucket.property("/CorsConfiguration/Fn::If").is_null()),
    ];
    let blocks = ["BlockPublicAcls", "BlockPublicPolicy", "IgnorePublicAcls", "RestrictPublicBuckets"];
    demands.extend(blocks.map(|block| is(bucket, &format!("/PublicAccessBlockConfiguration/{block}"), json!(true))));
    Ok(demands)
}

fn bucket_policy(templates: &Templates) -> Result<Vec<Demand>, String> {
    let policy = templates.only("AWS::S3::BucketPolicy")?;
    let statements = each(policy.property("/PolicyDocument/Statement"));
    let statement = |sid: &str| statements.iter().find(|s| s["Sid"] == sid).map_or(&Value::Null, |s| *s);
    let only_denies = statements.iter().all(|statement| statement["Effect"] == "Deny");
    let age = &statement("YoungSignaturesOnly")["Condition"]["NumericGreaterThan"]["s3:signatureAge"];
    let writers = &statement("ValidatedPackagesOnly")["Condition"]["ArnNotLike"]["aws:PrincipalArn"];
    let writers: Vec<_> = each(writers).into_iter().map(text).collect();
    let is_writer = |arn: &String| arn.contains("/${ValidateRole}") || arn.contains("/${SweepRole}");
    let deleted: Vec<_> = each(&statement("PackagesStay")["Action"]).into_iter().map(text).collect();
    Ok(vec![
        demand("the bucket's policy gives nothing to anybody", only_denies),
        demand("only TLS", statement("TlsOnly")["Condition"]["Bool"]["aws:SecureTransport"] == "false"),
        demand("no signature is older than 15 minutes", *age == "900000"),
        demand("packages are written by validator and sweeper", !writers.is_empty() && writers.iter().all(is_writer)),
        demand("packages are not deleted", deleted == ["s3:DeleteObject", "s3:DeleteObjectVersion"]),
    ])
}

fn least_privilege(roles: &[Role]) -> Vec<Demand> {
    let who = |action: &str, prefix: &str| {
        let able = roles.iter().filter(|role| role.may(action, prefix));
        able.map(|role| role.function.as_str()).collect::<Vec<_>>()
    };
    let mut demands = vec![
        demand("only validator and sweeper write packages", who("s3:PutObject", "packages/") == ["sweep", "validate"]),
        demand("nobody deletes packages", who("s3:DeleteObject", "packages/").is_empty()),
        demand("nobody deletes versions of objects", who("s3:DeleteObjectVersion", "").is_empty()),
        demand("only publish and compat sign uploads", who("s3:PutObject", "staging/") == ["compat", "publish"]),
    ];
    for role in roles {
        let (reads, lists) = (role.may("s3:GetObject", ""), role.may("s3:ListBucket", ""));
        demands.push(demand(
            format!("{}: who reads objects may list the bucket, nobody else", role.function),
            reads == lists,
        ));
        let scans = role.grants.iter().any(|grant| grant.action == "dynamodb:Scan");
        demands.push(demand(format!("{} scans nothing", role.function), !scans));
        let anywhere = |on: &str| on == "*" || on == "the table";
        let bounded = !role.grants.iter().any(|grant| anywhere(&grant.on));
        demands.push(demand(format!("{}: every grant names partitions or a prefix", role.function), bounded));
        if ["list", "detail", "manage"].contains(&role.function.as_str()) {
            let objects = role.grants.iter().any(|grant| grant.action.starts_with("s3:"));
            demands.push(demand(format!("{} has nothing to do with objects", role.function), !objects));
        }
    }
    demands
}

/// No statement that allows something names everything, or an action by a pattern.
fn no_wildcards(templates: &Templates) -> Vec<Demand> {
    let documents = ["AWS::IAM::Role", "AWS::IAM::ManagedPolicy"].into_iter().flat_map(|kind| {
        templates.of_kind(kind).flat_map(|resource| {
            let own = each(resource.property("/PolicyDocument"));
            let inline = each(resource.property("/Policies")).into_iter().map(|policy| &policy["PolicyDocument"]);
            own.into_iter().chain(inline).map(move |document| (resource.name, document)).collect::<Vec<_>>()
        })
    });
    let of_document = |(name, document): (&str, &Value)| {
        let allowed = |statement: &&Value| statement["Effect"] == "Allow";
        let statements = each(&document["Statement"]).into_iter().filter(allowed);
        let narrow = |statement: &Value| {
            let actions = each(&statement["Action"]).into_iter().all(|action| !text(action).contains('*'));
            actions && each(&statement["Resource"]).into_iter().all(|resource| text(resource) != "*")
        };
        demand(format!("{name}: no `*` as a resource or in an action"), statements.into_iter().all(narrow))
    };
    documents.map(of_document).collect()
}

fn functions(templates: &Templates) -> Vec<Demand> {
    let mut demands = Vec::new();
    for function in templates.of_kind("AWS::Lambda::Function") {
        demands.push(is(function, "/Runtime", json!("provided.al2023")));
        let timeout = function.property("/Timeout").as_u64().unwrap_or(u64::MAX);
        // The lease of a validation; the API waits for 30 s.
        let limit = if function.name.starts_with("Validate") || function.name.starts_with("Sweep") { 90 } else { 30 };
        demands.push(demand(format!("{} ends within {limit} s", function.name), timeout < limit));
        let image = function.property("/PackageType") == "Image";
        demands.push(demand(format!("{} is a zip", function.name), !image));
    }
    let validate = templates.of_kind("AWS::Lambda::Function").find(|function| function.name == "ValidateFunction");
    let reserved = validate.is_some_and(|v| !v.property("/ReservedConcurrentExecutions").is_null());
    demands.push(demand("the validator has reserved concurrency", reserved));
    let configs = templates.of_kind("AWS::Lambda::EventInvokeConfig");
    let told = configs.filter(|config| !config.property("/DestinationConfig/OnFailure").is_null()).count();
    demands.push(demand("the validator's failures have a destination", told == 1));
    let scheduled =
        templates.of_kind("AWS::Events::Rule").any(|r| r.property("/ScheduleExpression") == "rate(1 minute)");
    demands.push(demand("the sweeper runs every minute", scheduled));
    demands
}

/// When an alarm goes off: what it looks at, how that compares, for how long, and what it makes of no data.
fn goes_off(alarm: Resource<'_>) -> String {
    let of = |pointer: &str| text(alarm.property(pointer));
    let dimensions = each(alarm.property("/Dimensions")).into_iter();
    let dimensions: Vec<_> = dimensions.map(|d| format!("{}={}", text(&d["Name"]), text(&d["Value"]))).collect();
    let by = if dimensions.is_empty() { "nothing".to_owned() } else { dimensions.join(" and ") };
    format!(
        "{} of {} {} by {by} {} {} in {} x {} s, {}",
        of("/Statistic"),
        of("/Namespace"),
        of("/MetricName"),
        of("/ComparisonOperator"),
        of("/Threshold"),
        of("/EvaluationPeriods"),
        of("/Period"),
        of("/TreatMissingData")
    )
}

fn logs_and_alarms(templates: &Templates) -> Vec<Demand> {
    let logs: Vec<_> = templates.of_kind("AWS::Logs::LogGroup").collect();
    let retained = |log: &Resource<'_>| text(log.property("/RetentionInDays")) == "${LogRetentionDays}";
    let functions = templates.of_kind("AWS::Lambda::Function").count();
    let alarms: Vec<_> = templates.of_kind("AWS::CloudWatch::Alarm").collect();
    let mut demands = vec![
        demand("a log group for each function and for the API", logs.len() == functions + 1),
        demand("every log group has a retention", logs.iter().all(retained)),
        demand("every alarm says what to do", alarms.iter().all(|a| text(a.property("/AlarmDescription")).len() > 60)),
        demand(
            "every alarm is told",
            alarms.iter().all(|a| text(a.property("/AlarmActions")).contains("AlarmTopicArn")),
        ),
    ];
    for (name, when) in ALARMS {
        let found = alarms.iter().find(|alarm| alarm.name == name).map_or_else(String::new, |alarm| goes_off(*alarm));
        demands.push(demand(format!("{name} goes off at {when}, not at {found}"), found == when));
    }
    demands.push(demand("there are no other alarms", alarms.len() == ALARMS.len()));
    let stages: Vec<_> = templates.of_kind("AWS::ApiGatewayV2::Stage").collect();
    let logged = |stage: &Resource<'_>| !stage.property("/AccessLogSettings/Format").is_null();
    let throttled = |stage: &Resource<'_>| !stage.property("/DefaultRouteSettings/ThrottlingRateLimit").is_null();
    demands.push(demand("the API is logged and throttled", stages.iter().all(|s| logged(s) && throttled(s))));
    demands
}
